"""All methods and their peers on the same splits of one dataset: jobs, results, a table and a report."""
