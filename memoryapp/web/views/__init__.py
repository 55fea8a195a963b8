"""The pages. Each reads inside ``acting_for`` and answers only for the signed-in user."""
