"""What every layer shares: types, errors, settings, budgets. The native half is cpp/core."""
