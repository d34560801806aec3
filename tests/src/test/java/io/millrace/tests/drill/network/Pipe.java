package io.millrace.tests.drill.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Optional;

/** Carries the bytes of one direction of one connection, until their end. */
final class Pipe {
  private static final int CHUNK = 16 << 10;

  private final Socket from;
  private final Socket to;
  private final FlowControl flow;
  private final RecentText recentText;
  private final Transactions transactions;
  private final RequestTap tap;
  private final Link link;

  Pipe(
      Socket from,
      Socket to,
      FlowControl flow,
      RecentText recentText,
      Transactions transactions,
      RequestTap tap,
      Link link) {
    this.from = from;
    this.to = to;
    this.flow = flow;
    this.recentText = recentText;
    this.transactions = transactions;
    this.tap = tap;
    this.link = link;
  }

  /** Blocks until the end. */
  void carry() throws IOException, InterruptedException {
    byte[] chunk = new byte[CHUNK];
    InputStream in = from.getInputStream();
    OutputStream out = to.getOutputStream();
    for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
      pass();
      if (recentText.direction() == Direction.TO_SERVER) {
        transactions.sent(chunk, read);
      }
      flow.travel(read);
      Optional<TrafficTrigger> wire = recentText.fired(chunk, read);
      wire.filter(TrafficTrigger::before).ifPresent(one -> one.act(link));
      switch (tap.look(chunk, read)) {
        case PASS -> out.write(chunk, 0, read);
        case HOLD -> {}
        case RESET -> throw new IOException("its request is delivered later");
      }
      wire.filter(one -> !one.before()).ifPresent(one -> one.act(link));
    }
    pass();
    to.shutdownOutput();
  }

  private void pass() throws InterruptedException {
    transactions.pass(recentText.direction());
    flow.pass();
  }
}
