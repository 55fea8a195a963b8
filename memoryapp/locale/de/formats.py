"""How German writes dates and numbers, where Django has it otherwise."""

DATETIME_FORMAT = "l, j. F Y, H:i"
