package io.millrace.platform.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A connector whose connections know how many bytes have come from their clients and how many have
 * gone to them, as Jetty's own counts include what still waits to be sent.
 */
final class MeasuredConnector extends ServerConnector {
  private static final int ACCEPT_QUEUE = 1024;

  MeasuredConnector(
      Server server, HttpConfiguration http, WebSettings settings, ServerBounds bounds) {
    super(server, new HttpConnectionFactory(http));
    setIdleTimeout(bounds.idle().toMillis());
    setHost(settings.host());
    setPort(settings.port());
    // Of many clients that connect at once those beyond it would try again after a second.
    setAcceptQueueSize(ACCEPT_QUEUE);
  }

  @Override
  protected SocketChannelEndPoint newEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key) {
    MeasuredEndPoint endPoint = new MeasuredEndPoint(channel, selector, key, getScheduler());
    endPoint.setIdleTimeout(getIdleTimeout());
    return endPoint;
  }

  /** A connection's socket. Thread-safe. */
  static final class MeasuredEndPoint extends SocketChannelEndPoint {
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();

    MeasuredEndPoint(
        SocketChannel channel, ManagedSelector selector, SelectionKey key, Scheduler scheduler) {
      super(channel, selector, key, scheduler);
    }

    /** The bytes that have arrived. */
    long received() {
      return received.get();
    }

    /** The bytes that the operating system has taken. */
    long sent() {
      return sent.get();
    }

    /** Whether a write waits until the client receives more. */
    boolean isWriting() {
      return getWriteFlusher().isPending();
    }

    @Override
    public int fill(ByteBuffer buffer) throws IOException {
      int count = super.fill(buffer);
      if (count > 0) {
        received.addAndGet(count);
      }
      return count;
    }

    @Override
    public boolean flush(ByteBuffer... buffers) throws IOException {
      long before = remaining(buffers);
      try {
        return super.flush(buffers);
      } finally {
        sent.addAndGet(before - remaining(buffers));
      }
    }

    private static long remaining(ByteBuffer... buffers) {
      long bytes = 0;
      for (ByteBuffer buffer : buffers) {
        bytes += buffer.remaining();
      }
      return bytes;
    }
  }
}
