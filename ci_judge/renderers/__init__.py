"""The formats of the report. They translate; rules decide."""
