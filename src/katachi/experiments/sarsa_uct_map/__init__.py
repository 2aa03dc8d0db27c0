"""Figure 7.8 of Vodopivec (2018): win rate over lambda and C_p on Tic-tac-toe."""
