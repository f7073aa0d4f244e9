"""Motion through time: lw.transient, lw.resume, and the events that end a run."""
