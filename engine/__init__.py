"""Two engines that know nothing of each other: the statechart and the pipe."""
