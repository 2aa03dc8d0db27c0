"""Several threads on one memory or one tree, against one."""
