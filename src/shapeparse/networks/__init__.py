"""The learners' networks: how a policy and a critic see a node, as presets that are data."""
