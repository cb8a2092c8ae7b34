"""What every part leans on: errors, files, words for messages, progress, facts of the machine."""
