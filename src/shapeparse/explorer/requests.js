// Talking to the service the page came from.

/** Of several requests for the same thing only the last one counts; those before it are given up. */
class Latest {
  async run(request) {
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    try {
      const answer = await request(controller.signal);
      return controller.signal.aborted ? undefined : answer;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    }
  }
}

/** The answer of the service, or an error whose message is the service's own sentence. */
async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The service does not answer; see whether it still runs, and try again.");
  }
  if (response.ok) return response;
  const content = await response.json().catch(() => ({}));
  throw new Error(content.error ?? `The service answered with status ${response.status}; its log says more.`);
}

/** A plan, held against a mask if there is one: `truth` has a `mask` (a file) or a `sample` (its name), or neither. */
async function askPlan(content, truth, signal) {
  if (!truth.mask && !truth.sample) return (await askJson("api/plan", content, signal)).json();
  const body = new FormData();
  body.append("request", new Blob([JSON.stringify(content)], { type: "application/json" }), "request.json");
  if (truth.mask) body.append("mask", truth.mask, truth.mask.name);
  else body.append("sample", truth.sample);
  return (await ask("api/plan", { method: "POST", body, signal })).json();
}

function askJson(path, content, signal) {
  const headers = { "Content-Type": "application/json" };
  return ask(path, { method: "POST", headers, body: JSON.stringify(content), signal });
}
