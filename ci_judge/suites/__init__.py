"""What people write: criteria, scenarios, cases."""
