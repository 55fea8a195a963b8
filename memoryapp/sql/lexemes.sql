-- Evaluation: the lexemes of each text, in the order of the texts.
SELECT tsvector_to_array(memoryapp_terms(text))
FROM unnest(%(texts)s::text[]) WITH ORDINALITY AS given (text, place)
ORDER BY place
