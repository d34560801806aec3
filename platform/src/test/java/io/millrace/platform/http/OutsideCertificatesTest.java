package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsServer;
import io.millrace.api.client.HttpTransport.HttpCall;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A pinned address does not change which certificate a server of web addresses must show. */
@Timeout(60)
class OutsideCertificatesTest {
  private static final String PASSWORD = "for-this-test";

  @TempDir Path folder;
  private final Queue<String> names = new ConcurrentLinkedQueue<>();
  private KeyStore keys;
  private HttpsServer server;
  private OutsideCalls calls;

  @AfterEach
  void stop() {
    calls.stop();
    server.stop(0);
  }

  @Test
  void theCertificateIsCheckedAgainstTheHostNameWhichTheServerIsTold() throws Exception {
    listen("hook.example.test");
    SslContextFactory.Client certificates = new SslContextFactory.Client();
    certificates.setTrustStore(keys);
    call(certificates);

    assertThat(calls.send(post()).status()).isEqualTo(200);
    assertThat(names).containsExactly("hook.example.test");
  }

  @Test
  void aCertificateOfAnotherNameIsRefused() throws Exception {
    listen("other.example.test");
    SslContextFactory.Client certificates = new SslContextFactory.Client();
    certificates.setTrustStore(keys);
    call(certificates);

    assertThatThrownBy(() -> calls.send(post()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("hook.example.test");
    assertThat(names).isEmpty();
  }

  @Test
  void aCertificateOfNoKnownAuthorityIsRefused() throws Exception {
    listen("hook.example.test");
    call(new SslContextFactory.Client());

    assertThatThrownBy(() -> calls.send(post()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("certification path");
    assertThat(names).isEmpty();
  }

  private void call(SslContextFactory.Client certificates) {
    calls =
        new OutsideCalls(
            host -> List.of(InetAddress.getLoopbackAddress()), address -> false, certificates);
    calls.start();
  }

  private HttpCall post() {
    int port = server.getAddress().getPort();
    return HttpCall.post(URI.create("https://hook.example.test:" + port + "/hook"), null);
  }

  private void listen(String name) throws Exception {
    keys = certificate(name);
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), null, null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    server.createContext(
        "/",
        exchange -> {
          ExtendedSSLSession session =
              (ExtendedSSLSession) ((HttpsExchange) exchange).getSSLSession();
          for (SNIServerName asked : session.getRequestedServerNames()) {
            names.add(new String(asked.getEncoded(), StandardCharsets.US_ASCII));
          }
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
  }

  /** A key pair with a certificate for the name, signed by itself, made by the JDK's own tool. */
  private KeyStore certificate(String name) throws Exception {
    Path file = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "san=dns:" + name,
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.log").toFile())
            .start();
    assertThat(keytool.waitFor()).as(() -> log()).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    return store;
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("keytool.log"));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
