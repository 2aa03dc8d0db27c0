"""UCT is Sarsa-UCT(1), node by node, and TD backups cost little: H1 and H18."""
