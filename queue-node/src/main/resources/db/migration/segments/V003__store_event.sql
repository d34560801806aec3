-- An event that is not acknowledged. state: 0 ready, 1 delayed, 2 leased, 3 dead. urgency: 9 minus
-- the priority, so that an ascending index has the highest priority first.
CREATE TABLE store_event (
  store      INT          NOT NULL,
  seq        BIGINT       NOT NULL,
  queue      INT          NOT NULL,
  state      TINYINT      NOT NULL,
  urgency    TINYINT      NOT NULL,
  id         VARCHAR(250) NOT NULL,
  data       MEDIUMBLOB   NOT NULL,
  attributes TEXT,
  stored_at  BIGINT       NOT NULL,
  bytes      INT          NOT NULL,
  delivery   INT          NOT NULL,
  term       BIGINT       NOT NULL,
  held_at    BIGINT       NOT NULL,
  hold_ms    BIGINT       NOT NULL,
  shared     BOOLEAN      NOT NULL,
  alone      BOOLEAN      NOT NULL,
  failures   INT          NOT NULL,
  returns    INT          NOT NULL,
  reason     TEXT,
  died_at    BIGINT,
  PRIMARY KEY (store, seq),
  INDEX store_event_by_turn (queue, state, urgency, seq),
  INDEX store_event_by_age (queue, state, seq)
) ${tableOptions};
