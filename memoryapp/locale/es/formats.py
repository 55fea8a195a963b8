"""How Spanish writes dates and numbers, where Django has it otherwise."""

DATETIME_FORMAT = r"l j \d\e F \d\e Y, H:i"
