"""One module per question, named like its public function: its result, its steps and its findings."""
