"""How the local extractor's weights come about: frames and examples written for this
project (``*.txt``), the generator (``data``), the training (``train``), the score (``score``)."""
