package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.millrace.api.job.AttemptId;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Records reach logs and messages as text: those that hold a secret do not show it. */
class SecretsAreNotPrintedTest {
  private static final String SECRET = "the-secret-itself";
  private static final Pattern NAMES =
      Pattern.compile(".*(secret|token|password|privateKey)", Pattern.CASE_INSENSITIVE);

  @TestFactory
  Stream<DynamicTest> aRecordThatHoldsASecretDoesNotShowIt() {
    return secretive().stream()
        .map(
            type ->
                DynamicTest.dynamicTest(
                    type.getName(),
                    () -> assertThat(sample(type).toString()).doesNotContain(SECRET)));
  }

  @Test
  void theRecordsAreFound() {
    assertThat(secretive())
        .extracting(Class::getSimpleName)
        .contains("Assignment", "PacedDecision", "BatchRecord", "DatabaseSettings", "LeasedChunk");
  }

  private static List<Class<?>> secretive() {
    List<Class<?>> found = new ArrayList<>();
    for (JavaClass type :
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            // Tests and fakes of a module, which are a jar here.
            .withImportOption(place -> !place.contains("-tests.jar"))
            .importPackages("io.millrace")) {
      if (type.isRecord()) {
        Class<?> one = type.reflect();
        if (Arrays.stream(one.getRecordComponents()).anyMatch(SecretsAreNotPrintedTest::isSecret)) {
          found.add(one);
        }
      }
    }
    return found;
  }

  private static boolean isSecret(RecordComponent component) {
    return component.getType() == String.class && NAMES.matcher(component.getName()).matches();
  }

  private static Object sample(Class<?> type) throws ReflectiveOperationException {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = isSecret(components[i]) ? SECRET : value(types[i]);
    }
    Constructor<?> constructor = type.getDeclaredConstructor(types);
    constructor.setAccessible(true);
    return constructor.newInstance(values);
  }

  /** Any value that the constructors accept; null where none is known. */
  private static Object value(Class<?> type) throws ReflectiveOperationException {
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    Map<Class<?>, Object> known =
        Map.ofEntries(
            Map.entry(String.class, "x"),
            Map.entry(int.class, 1),
            Map.entry(long.class, 1L),
            Map.entry(double.class, 1.0),
            Map.entry(boolean.class, true),
            Map.entry(List.class, List.of()),
            Map.entry(Map.class, Map.of()),
            Map.entry(Optional.class, Optional.empty()),
            Map.entry(UUID.class, new UUID(1, 1)),
            Map.entry(URI.class, URI.create("http://x")),
            Map.entry(Path.class, Path.of("x")),
            Map.entry(Instant.class, Instant.EPOCH),
            Map.entry(PacingRecord.class, decision()),
            Map.entry(Duration.class, Duration.ofSeconds(1)));
    return known.get(type);
  }

  private static PacingRecord decision() {
    return new PacingRecord(new AttemptId(1, 1), 1, "x", "NONE", "x", Map.of(), null);
  }
}
