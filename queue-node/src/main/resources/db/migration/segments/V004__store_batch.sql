-- The name of a batch stored lately.
CREATE TABLE store_batch (
  number BIGINT       NOT NULL AUTO_INCREMENT PRIMARY KEY,
  store  INT          NOT NULL,
  queue  INT          NOT NULL,
  name   VARCHAR(100) NOT NULL,
  events INT          NOT NULL,
  CONSTRAINT store_batch_once UNIQUE (queue, name)
) ${tableOptions};
