"""Work in processes, of this machine or of Ray's: a task costs no other one, and nothing is lost
silently."""
