"""Very many photographs, on one machine or a Ray cluster."""
