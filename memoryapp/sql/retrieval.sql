-- What the read path adds: search in many languages, vectors and text of past messages, links
-- between facts. {app} is the application's role.

-- The language whose stemmer fits the text: by its script, else by its commonest words.
-- English when nothing says otherwise. Only languages that Postgres 15 has a stemmer for.
CREATE FUNCTION memoryapp_language(content text) RETURNS regconfig
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    head text := left(content, 2000);
    found regconfig;
BEGIN
    IF head ~ '[^\x01-\x7f]' THEN
        found := CASE
            WHEN head ~ '[\u0400-\u04FF]' THEN 'pg_catalog.russian'
            WHEN head ~ '[\u0370-\u03FF]' THEN 'pg_catalog.greek'
            WHEN head ~ '[\u0600-\u06FF]' THEN 'pg_catalog.arabic'
            WHEN head ~ '[\u0900-\u097F]' THEN 'pg_catalog.hindi'
            WHEN head ~ '[\u0B80-\u0BFF]' THEN 'pg_catalog.tamil'
            WHEN head ~ '[\u0530-\u058F]' THEN 'pg_catalog.armenian'
        END;
        IF found IS NOT NULL THEN
            RETURN found;
        END IF;
    END IF;
    -- One look for what hardly stands in English, before each language's words are counted.
    IF head !~ '[^\x01-\x7f]' AND head !~* ('\m(der|das|und|ich|nicht|mit|ein|eine|einen|auf|mein'
        '|meine|meinen|zu|dem|habe|wie|mag|von|im|wir|sie|le|les|des|est|et|je|une|un|pour|pas|mon'
        '|mes|dans|que|qui|du|au|avec|sur|suis|quel|quelle|ai|nous|el|la|los|las|es|yo|una|para|mi'
        '|en|del|con|por|gusta|tengo|soy|como|il|gli|io|mio|mia|miei|nel|che|di|non|piace|dove'
        '|sono|ho|della|qual|os|eu|uma|meu|minha|meus|em|da|com|gosto|onde|sou|tenho|de|het|een|ik'
        '|niet|voor|mijn|te|zijn|waar|heb|hoe|dat|och|jag|inte|ett|mitt|mina|att|av|vad|det|som|og'
        '|er|jeg|ikke|af|hvad|hvor|til|olen|minun|mutta|joka|kun|az|egy|nem|hogy|hol|vagyok'
        '|szeretem|nekem|kedvenc|este|nu|cu|pentru|mea|mele|ce|unde|sunt|ve|bir|benim|bu|nerede|ile'
        '|saya|tidak|dengan|untuk|yang|apa|adalah|suka|itu|ini|aku|punya)\M')
    THEN
        RETURN 'pg_catalog.english'::regconfig;
    END IF;
    SELECT counted.config INTO found
    FROM (
        SELECT tongue.config, tongue.place,
            regexp_count(head, '\m(' || tongue.words || ')\M', 1, 'i') AS hits
        FROM (VALUES
            (1, 'pg_catalog.english'::regconfig,
                'the|and|is|are|was|of|to|my|i|you|it|what|do|does|did|for|with|that|this|have'),
            (2, 'pg_catalog.german',
                'der|die|das|und|ist|ich|nicht|mit|ein|eine|einen|für|auf|mein|meine|meinen|zu|den|dem'
                    '|habe|bin|wie|was|wo|mag|von|im|wir|sie'),
            (3, 'pg_catalog.french',
                'le|la|les|des|est|et|je|une|un|pour|pas|mon|ma|mes|dans|que|qui|du|au|avec|sur|suis'
                    '|où|quel|quelle|ai|nous'),
            (4, 'pg_catalog.spanish',
                'el|la|los|las|es|y|yo|una|un|para|mi|mis|en|que|del|con|por|me|gusta|qué|dónde|está'
                    '|tengo|soy|como|cómo'),
            (5, 'pg_catalog.italian',
                'il|la|gli|è|e|io|una|un|per|mio|mia|miei|nel|che|di|con|non|mi|piace|dove|sono|ho'
                    '|della|del|qual'),
            (6, 'pg_catalog.portuguese',
                'o|a|os|as|é|e|eu|uma|um|para|meu|minha|meus|em|que|do|da|com|não|gosto|onde|sou'
                    '|tenho|qual'),
            (7, 'pg_catalog.dutch',
                'de|het|een|en|is|ik|niet|met|voor|op|mijn|van|te|zijn|wat|waar|heb|ben|hoe|dat'),
            (8, 'pg_catalog.swedish',
                'och|är|jag|inte|med|en|ett|för|på|min|mitt|mina|att|av|vad|var|har|det|som'),
            (9, 'pg_catalog.danish',
                'og|er|jeg|ikke|med|en|et|på|min|mit|mine|af|hvad|hvor|har|det|som|til'),
            (10, 'pg_catalog.finnish',
                'ja|on|minä|ei|olen|minun|mutta|että|mikä|missä|se|joka|kun|pidän|tykkään'),
            (11, 'pg_catalog.hungarian',
                'és|az|egy|én|nem|van|hogy|mi|hol|vagyok|szeretem|nekem|meg|kedvenc'),
            (12, 'pg_catalog.romanian',
                'și|este|eu|nu|cu|un|o|pentru|mea|meu|mele|în|ce|unde|sunt|am|îmi|place'),
            (13, 'pg_catalog.turkish',
                've|bir|ben|değil|için|benim|bu|ne|nerede|çok|ile|var|seviyorum|en'),
            (14, 'pg_catalog.indonesian',
                'dan|saya|tidak|dengan|untuk|di|yang|apa|mana|adalah|suka|itu|ini|aku|punya')
        ) AS tongue (place, config, words)
    ) AS counted
    WHERE counted.hits > 0
    ORDER BY counted.hits DESC, counted.place
    LIMIT 1;
    RETURN coalesce(found, 'pg_catalog.english'::regconfig);
END $$;

-- A text's lexemes for search, and a question's: English stems, those of the text's own
-- language without that language's stop words, accented words without their accents too, and
-- of scripts without spaces every two letters (three of Thai, Lao, Khmer and Burmese).
-- The first 20,000 characters count: a tsvector has a largest size.
CREATE FUNCTION memoryapp_terms(content text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
DECLARE
    head text := left(content, 20000);
    config regconfig := public.memoryapp_language(head);
    found tsvector := to_tsvector('pg_catalog.english', head);
    plain text;
    grams text;
BEGIN
    IF config <> 'pg_catalog.english'::regconfig THEN
        found := ts_delete(found, ARRAY(
            SELECT word
            FROM unnest(tsvector_to_array(to_tsvector('pg_catalog.simple', head))) AS word
            WHERE ts_lexize((config::text || '_stem')::regdictionary, word) = '{}'
        )) || to_tsvector(config, head);
    END IF;
    IF head !~ '[^\x01-\x7f]' THEN
        RETURN found;
    END IF;
    head := normalize(head, NFKC);
    IF head ~ '[\u00C0-\u024F]' THEN
        plain := regexp_replace(
            normalize(regexp_replace(head, '[^\u0041-\u024F'']+', ' ', 'g'), NFD),
            '[\u0300-\u036F]', '', 'g');
        found := found || ts_delete(
            to_tsvector('pg_catalog.english', plain), tsvector_to_array(found));
    END IF;
    SELECT string_agg(DISTINCT '''' || lower(gram) || ''':1', ' ') INTO grams
    FROM (
        SELECT CASE
            WHEN letter = ' ' THEN NULL
            WHEN letter ~ '[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF]' THEN CASE
                WHEN second <> ' ' AND third <> ' ' THEN letter || second || third
                WHEN before = ' ' THEN letter || trim(second) END
            WHEN second <> ' ' THEN letter || second
            WHEN before = ' ' THEN letter
        END AS gram
        FROM (
            SELECT letter,
                coalesce(lag(letter) OVER (ORDER BY place), ' ') AS before,
                coalesce(lead(letter) OVER (ORDER BY place), ' ') AS second,
                coalesce(lead(letter, 2) OVER (ORDER BY place), ' ') AS third
            FROM regexp_split_to_table(
                regexp_replace(head, '[^\u0E00-\u0E4E\u0E80-\u0EFF\u1000-\u1049\u1780-\u17D3'
                    '\u3005-\u3007\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF]+', ' ', 'g'),
                ''
            ) WITH ORDINALITY AS letters (letter, place)
        ) AS spelled
    ) AS spelling
    WHERE gram IS NOT NULL;
    IF grams IS NULL THEN
        RETURN found;
    END IF;
    -- A whole sentence without spaces is no word.
    RETURN ts_delete(found, ARRAY(
        SELECT run FROM unnest(tsvector_to_array(found)) AS run
        WHERE length(run) > 3
            AND run ~ '^[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u30FF\u3400-\u9FFF]+$'
    )) || grams::tsvector;
END $$;

-- Facts: the same words as before, in every language. Another expression is another column.
ALTER TABLE memoryapp_fact DROP COLUMN search;
ALTER TABLE memoryapp_fact ADD COLUMN search tsvector GENERATED ALWAYS AS (
    -- The value by itself too: it may be in another language than the sentence around it.
    memoryapp_terms(statement || ' ' || translate(attribute, '_', ' ') || ' '
        || translate(subject, ':', ' ')) || memoryapp_terms(value)
) STORED;
ALTER TABLE memoryapp_fact ALTER COLUMN search SET STATISTICS 0;

-- Messages that may be shown as excerpts. `new` ones haven't been looked at; what was masked,
-- emptied or withheld is `no` for good.
ALTER TABLE memoryapp_message ADD COLUMN excerpt varchar(4) NOT NULL DEFAULT 'new'
    CHECK (excerpt IN ('new', 'yes', 'no'));
ALTER TABLE memoryapp_message ALTER COLUMN excerpt DROP DEFAULT;
ALTER TABLE memoryapp_message ADD COLUMN search tsvector GENERATED ALWAYS AS (
    CASE WHEN excerpt = 'yes' THEN memoryapp_terms(content) END
) STORED;
ALTER TABLE memoryapp_message ALTER COLUMN search SET STATISTICS 0;
-- What is to be looked at.
CREATE INDEX memoryapp_message_unseen ON memoryapp_message (user_id, sent_at)
    WHERE excerpt = 'new' AND state = 'processed';

CREATE TABLE memoryapp_messageembedding (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    message_id uuid NOT NULL,
    model varchar(120) NOT NULL,
    dimension integer NOT NULL CHECK (dimension > 0),
    embedding halfvec NOT NULL,
    PRIMARY KEY (user_id, id),
    -- The excerpts' join: the user's vectors of the active model.
    UNIQUE (user_id, message_id, model),
    FOREIGN KEY (user_id, message_id) REFERENCES memoryapp_message (user_id, id) ON DELETE CASCADE
) PARTITION BY HASH (user_id);
ALTER TABLE memoryapp_messageembedding ALTER COLUMN embedding SET STORAGE PLAIN;

-- Text that changes was masked or emptied: its vector goes in the same statement, whoever
-- changed it, and nothing of it is shown as an excerpt again.
CREATE FUNCTION memoryapp_forget_excerpt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.excerpt := 'no';
    DELETE FROM memoryapp_messageembedding
    WHERE user_id = NEW.user_id AND message_id = NEW.id;
    RETURN NEW;
END $$;
CREATE TRIGGER memoryapp_message_changed BEFORE UPDATE OF content ON memoryapp_message
    FOR EACH ROW WHEN (OLD.content IS DISTINCT FROM NEW.content)
    EXECUTE FUNCTION memoryapp_forget_excerpt();

-- How facts hang together beside their chains. `source` follows from, is derived from, or
-- contradicts `target`.
CREATE TABLE memoryapp_factlink (
    id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES accounts_user (id) ON DELETE CASCADE,
    source_id uuid NOT NULL,
    target_id uuid NOT NULL,
    kind varchar(12) NOT NULL CHECK (kind IN ('follows_from', 'derived_from', 'contradicts')),
    weight double precision NOT NULL CHECK (weight BETWEEN 0 AND 1),
    made_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, id),
    -- Also the walk from a fact to what it came from.
    UNIQUE (user_id, source_id, target_id, kind),
    CHECK (source_id <> target_id),
    FOREIGN KEY (user_id, source_id) REFERENCES memoryapp_fact (user_id, id) ON DELETE CASCADE,
    FOREIGN KEY (user_id, target_id) REFERENCES memoryapp_fact (user_id, id) ON DELETE CASCADE
);
-- The walk the other way, and the target's ON DELETE.
CREATE INDEX memoryapp_factlink_target ON memoryapp_factlink (user_id, target_id);

DO $$
DECLARE
    name text;
BEGIN
    FOR number IN 0..31 LOOP
        EXECUTE format(
            'CREATE TABLE memoryapp_messageembedding_p%s PARTITION OF memoryapp_messageembedding '
            'FOR VALUES WITH (MODULUS 32, REMAINDER %s)', lpad(number::text, 2, '0'), number);
    END LOOP;
    ALTER TABLE memoryapp_messageembedding ALTER COLUMN embedding SET STATISTICS 0;
    FOR name IN
        SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
            AND relname ~ '^memoryapp_(messageembedding(_p\d+)?|factlink)$'
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        IF name ~ '_p\d+$' THEN
            EXECUTE format('REVOKE ALL ON %I FROM {app}', name);
        ELSE
            EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO {app}', name);
        END IF;
        EXECUTE format(
            'CREATE POLICY own_rows ON %I USING (user_id = '
            'nullif(current_setting(''app.user_id'', true), '''')::uuid) '
            'WITH CHECK (user_id = nullif(current_setting(''app.user_id'', true), '''')::uuid)',
            name);
        EXECUTE format(
            'CREATE POLICY auditor_reads ON %I FOR SELECT USING ((SELECT memoryapp_is_auditor()))',
            name);
    END LOOP;
END $$;
