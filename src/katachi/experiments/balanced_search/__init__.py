"""The balanced policy in the tree of MC-RAVE, against the handcrafted one."""
