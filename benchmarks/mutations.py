"""Mistakes put into the code on purpose, one by one: the tests that guard it must fail.

Signs of the learning code are turned around, and what keeps hostile files and clients out is taken away.

    python benchmarks/mutations.py

Writes results/mutations/mutations.json and mutations.md. A copy of the package is changed, never the package itself.
tests/test_mutations.py checks that every change still applies.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import tyro
from machine import REPOSITORY, facts

from shapeparse.support import files

SOURCE = REPOSITORY / "src" / "shapeparse"
HANGS = 240.0
"""Seconds after which tests have failed, too."""


class Mutation(NamedTuple):
    """A change to one line, and the test that must notice."""

    name: str
    file: str
    text: str
    """Stands once in the file."""
    replacement: str
    test: str


LOSSES, LOSS_TESTS = "learning/policy_losses.py", "tests/learning/test_policy_losses.py"
MUTATIONS = (
    Mutation(
        "DRAG descends Q", LOSSES,
        "losses.stored_policy_loss(batch.output,", "-losses.stored_policy_loss(batch.output,",
        f"{LOSS_TESTS}::test_drag_as_published_is_eq_8_at_the_stored_rule",
    ),
    Mutation(
        "DRAG in expectation descends Q", LOSSES,
        "losses.mixed_policy_loss(batch.output, batch.q", "-losses.mixed_policy_loss(batch.output, batch.q",
        f"{LOSS_TESTS}::test_the_mixed_gradient_is_that_of_the_expected_value",
    ),
    Mutation(
        "AC-AggreVaTeD's weight has another sign", LOSSES,
        "(batch, batch.q.value_of(*batch.taken))", "(batch, -batch.q.value_of(*batch.taken))",
        f"{LOSS_TESTS}::test_aggrevated_as_published_weighs_the_stored_action_without_a_baseline",
    ),
    Mutation(
        "the same in expectation", LOSSES,
        "[batch.q.value_of(*batch.as_tensors(actions))", "[-batch.q.value_of(*batch.as_tensors(actions))",
        f"{LOSS_TESTS}::test_fresh_actions_are_weighed_each_by_what_the_critic_says_beyond_the_others",
    ),
    Mutation(
        "entropy is lowered", LOSSES,
        "loss - batch.exploring", "loss + batch.exploring",
        f"{LOSS_TESTS}::test_entropy_makes_likely_rules_less_likely_as_long_as_it_explores",
    ),
    Mutation(
        "cuts are pushed from the middle", LOSSES,
        "batch.settings.centring * losses.off_centre", "-batch.settings.centring * losses.off_centre",
        f"{LOSS_TESTS}::test_while_a_critic_warms_up_cuts_are_pulled_to_the_middle_and_rules_stay",
    ),
    Mutation(
        "the critic is not detached from the policy", "learning/learner.py",
        "judged = said.detach()", "judged = said",
        "tests/learning/test_learner.py::test_a_policy_is_not_moved_by_what_the_critic_says_alone",
    ),
    Mutation(
        "nodes of a scene that is reframed are remembered", "learning/trainer.py",
        "self.memory.forget(anew)", "pass",
        "tests/learning/test_trainer.py::test_only_images_that_are_zoomed_into_anew_are_forgotten",
    ),
    Mutation(
        "no location noise for DRAG", "learning/rollout.py",
        "location_noise=method.critic is not None and method.critic.location_noise", "location_noise=False",
        "tests/learning/test_rollout.py::test_methods_whose_critic_learns_from_the_actions_taken_explore_around_mu",
    ),
    Mutation(
        "a file replaces one of another kind", "support/files.py",
        "        refuse_other_kind(path, kind_of(temporary, path.suffix))\n", "",
        "tests/support/test_files.py::test_a_file_is_replaced_by_one_of_its_kind_and_by_no_other",
    ),
    Mutation(
        "plans are named as trees are", "commands/painting.py",
        'f"{job.name}.plan{FORMATS', 'f"{job.name}{FORMATS',
        "tests/commands/test_paint.py::test_plans_go_beside_the_trees_twice_over_and_replace_nothing_of_theirs",
    ),
    Mutation(
        "pipes and devices are read", "support/files.py",
        "if not stat.S_ISREG(status.st_mode):  # a pipe", "if False:  # a pipe",
        "tests/support/test_files.py::test_json_that_is_a_pipe_a_device_or_nested_without_end_is_one_sentence",
    ),
    Mutation(
        "JSON may be nested without end", "support/files.py",
        "except RecursionError as error", "except KeyError as error",
        "tests/support/test_files.py::test_json_that_is_a_pipe_a_device_or_nested_without_end_is_one_sentence",
    ),
    Mutation(
        "networks of any size are built", "networks/presets.py",
        "is_whole(one) and least <= one <= most", "is_whole(one)",
        "tests/networks/test_presets.py::test_fields_of_another_kind_or_size_are_refused_before_anything_is_built",
    ),
    Mutation(
        "weights may be no numbers", "parsing/runs.py",
        "or not torch.isfinite(given).all()", "",
        "tests/parsing/test_runs.py::test_weights_that_are_no_numbers_are_refused_by_the_name_of_their_tensor",
    ),
    Mutation(
        "an ONNX file may answer nonsense", "parsing/onnx_file.py",
        "any(np.isnan(answer).any() for answer in found)", "False",
        "tests/parsing/test_onnx_file.py::test_a_graph_that_answers_nonsense_is_refused_when_it_is_loaded",
    ),
    Mutation(
        "a training that diverged goes on", "learning/divergence.py",
        "    if not sound:", "    if False:",
        "tests/learning/test_divergence.py::test_what_is_not_finite_is_refused",
    ),
    Mutation(
        "two trainings share a folder", "support/processes.py",
        "fcntl.LOCK_EX | fcntl.LOCK_NB", "fcntl.LOCK_SH | fcntl.LOCK_NB",
        "tests/support/test_processes.py::test_another_process_is_refused_and_told_who_works_there_since_when",
    ),
    Mutation(
        "a worker outlives a benchmark that is killed", "support/processes.py",
        "        os._exit(130)", "        return",
        "tests/support/test_processes.py::"
        "test_a_process_ends_at_once_with_the_process_that_started_it_even_if_that_is_killed",
    ),
    Mutation(
        "a colour picture is taken for masks", "oracle/igm.py",
        "mask.shape[2] in (3, 4) and mask.shape[1] > 4", "False",
        "tests/oracle/test_igm.py::test_bad_masks_and_settings_are_refused_in_one_sentence",
    ),
    Mutation(
        "other sites may post where a browser names no site", "web/guard.py",
        "origin.lower() in own for origin", "True for origin",
        "tests/web/test_guard.py::test_a_page_of_another_origin_is_refused_where_the_browser_says_no_site",
    ),
    Mutation(
        "a request may have two lengths", "web/guard.py",
        'if "content-length" in headers and "transfer-encoding" in headers', "if False",
        "tests/web/test_guard.py::test_two_lengths_of_one_request_are_refused",
    ),
    Mutation(
        "a request may come in crumbs", "web/protocol.py",
        "if self._pieces > FEW_PIECES and", "if False and",
        "tests/web/test_protocol.py::test_a_body_in_crumbs_is_refused_and_one_in_pieces_is_not",
    ),
    Mutation(
        "a chunk of any size is waited for", "web/protocol.py",
        "> MOST_DECLARED:", "> MOST_DECLARED**3:",
        "tests/web/test_protocol.py::test_a_chunk_that_cannot_be_is_answered_and_the_connection_closed",
    ),
)  # fmt: skip


def changed(mutation: Mutation) -> str:
    """The file with the mistake in it; fails if the line is no longer there, or there twice."""
    content = (SOURCE / mutation.file).read_text(encoding="utf-8")
    if content.count(mutation.text) != 1:
        sys.exit(
            f"{mutation.file} has {mutation.text!r} {content.count(mutation.text)} times; bring the list up to date."
        )
    return content.replace(mutation.text, mutation.replacement)


def passes(tests: list[str], mutation: Mutation | None = None) -> bool:
    """Whether tests pass with a mistake, or without any."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "src" / "shapeparse"
        shutil.copytree(SOURCE, copy)  # with the compiled kernels
        if mutation is not None:
            (copy / mutation.file).write_text(changed(mutation), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
        environment = {**os.environ, "PYTHONPATH": str(copy.parent)}
        try:
            ran = subprocess.run(
                command,
                cwd=REPOSITORY,
                env=environment,
                capture_output=True,
                check=False,
                timeout=HANGS if mutation else None,  # all tests together may have to compile kernels
            )
        except subprocess.TimeoutExpired:  # a pipe is waited for without end
            return False
    if ran.returncode not in (0, 1):
        sys.exit(f"{tests} could not be run:\n{ran.stdout.decode()[-2000:]}")
    return ran.returncode == 0


def table(rows: list[dict[str, Any]]) -> str:
    """The results as Markdown."""
    lines = [
        f"| {row['name']} | `{row['file']}` | `{row['test']}` | {'yes' if row['caught'] else 'NO'} |" for row in rows
    ]
    caught = sum(row["caught"] for row in rows)
    head = f"{caught} of {len(rows)} mistakes were caught by the test that guards against them."
    return "\n".join([head, "", "| mistake | file | test | caught |", "|---|---|---|---|", *lines, ""])


def main(jobs: int = 2, out: Path = REPOSITORY / "results" / "mutations") -> None:
    """Make every mistake once, and see its test fail; without any mistake, all tests must pass.

    Args:
        jobs: mistakes at a time.
        out: where the results go.
    """
    with ThreadPoolExecutor(jobs) as pool:
        sound = pool.submit(passes, [mutation.test for mutation in MUTATIONS])
        each = [pool.submit(passes, [mutation.test], mutation) for mutation in MUTATIONS]
        rows = []
        for mutation, passed in zip(MUTATIONS, each, strict=True):
            rows.append({**mutation._asdict(), "caught": not passed.result()})
            print(f"{mutation.name}: {'caught' if rows[-1]['caught'] else 'NOT CAUGHT'}", flush=True)
    if not sound.result():
        sys.exit("The tests fail without any mistake; mend that first.")
    files.make_folder(out)
    files.write_json(out / "mutations.json", {"mutations": rows, **facts("pytest")})
    files.write_text(out / "mutations.md", table(rows))
    missed = [row["name"] for row in rows if not row["caught"]]
    if missed:
        sys.exit(f"No test noticed: {', '.join(missed)}.")


if __name__ == "__main__":
    tyro.cli(main)
