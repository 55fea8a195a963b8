"""From which probability on the reader is believed. Chosen for precision, gate by gate, on messages
that it hadn't learned: docs/extraction.md has what others give."""

THRESHOLD = 0.75
DISTINCT = 0.55  # the same where the words hardly could be of anything else
SURE = 0.87  # the same in a clause that a gate doubts, and for a value that no list has
ASKED = 0.8  # the same in a question, IMAGINED in one that supposes or wishes
PAID = 0.9  # that a deed is work, where it could be a hobby as well
IMAGINED = 0.95
CERTAIN = 0.97  # the same behind "if" and "who", and in what somebody else says
NEVER = 1.1
PLACED = 0.85  # that a place is a home where no word of dwelling says so
PLAINLY = 0.5  # the same for "my bike is a …", which could hardly say anything else
NAMED = 0.1  # the less for a pet that is "called" so, and a wish for "your answers"
