package io.millrace.tests.statement;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.millrace.manager.backup.CentralRestore;
import io.millrace.platform.database.Database;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Calls every method of the central manager's classes that takes a handle, with generated
 * arguments, each in a transaction that is rolled back.
 */
public final class StoreCalls {
  /** Methods of a handle that make a statement. */
  public static final Set<String> MAKE =
      Set.of(
          "createQuery",
          "createUpdate",
          "prepareBatch",
          "createBatch",
          "createCall",
          "execute",
          "select",
          "createScript");

  private static final Set<Class<?>> MAY_BE_MISSING = Set.of(String.class, Long.class, Map.class);

  private final JavaClasses classes =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.millrace.manager", "io.millrace.platform");

  /** Source lines that create a statement, as {@code CLASS:LINE}. */
  Set<String> lines() {
    Set<String> lines = new TreeSet<>();
    // Opening and maintaining databases reads no table of the product.
    classes.stream()
        .filter(one -> !one.getPackageName().equals(Database.class.getPackageName()))
        // A restoration reads and changes everything, while no central manager runs.
        .filter(one -> !one.getPackageName().equals(CentralRestore.class.getPackageName()))
        .forEach(
            one ->
                one.getMethodCallsFromSelf().stream()
                    .filter(call -> call.getTargetOwner().isAssignableTo(Handle.class))
                    .filter(call -> MAKE.contains(call.getName()))
                    .forEach(call -> lines.add(one.getName() + ":" + call.getLineNumber())));
    return lines;
  }

  void run(Jdbi jdbi) {
    Set<String> makers = new TreeSet<>();
    lines().forEach(line -> makers.add(line.substring(0, line.indexOf(':'))));
    for (String name : makers) {
      Class<?> type = load(name);
      Arrays.stream(type.getDeclaredMethods())
          .filter(method -> !method.isSynthetic())
          .filter(method -> !Modifier.isPrivate(method.getModifiers()))
          .filter(method -> Arrays.asList(method.getParameterTypes()).contains(Handle.class))
          .forEach(method -> variants(method).forEach(spoil -> call(jdbi, type, method, spoil)));
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  /** With all arguments, and with each optional one omitted. */
  private static Stream<Consumer<Object[]>> variants(Method method) {
    Class<?>[] types = method.getParameterTypes();
    Stream<Consumer<Object[]>> missing =
        IntStream.range(0, types.length)
            .filter(i -> MAY_BE_MISSING.contains(types[i]))
            .mapToObj(i -> values -> values[i] = types[i] == Map.class ? Map.of() : null);
    return Stream.concat(Stream.of(values -> {}), missing);
  }

  private static void call(Jdbi jdbi, Class<?> type, Method method, Consumer<Object[]> spoil) {
    jdbi.useHandle(
        handle -> {
          handle.begin();
          try {
            Object on = Modifier.isStatic(method.getModifiers()) ? null : instance(type, handle);
            Object[] values =
                Arrays.stream(method.getGenericParameterTypes())
                    .map((Type one) -> Arguments.of(one, handle))
                    .toArray();
            spoil.accept(values);
            method.setAccessible(true);
            method.invoke(on, values);
          } catch (ReflectiveOperationException | RuntimeException e) {
            // Executed statements are recorded, and others are reported as missing.
          } finally {
            handle.rollback();
          }
        });
  }

  private static Object instance(Class<?> type, Handle handle) throws ReflectiveOperationException {
    Constructor<?> constructor = List.of(type.getDeclaredConstructors()).get(0);
    constructor.setAccessible(true);
    return constructor.newInstance(
        Arrays.stream(constructor.getGenericParameterTypes())
            .map(one -> Arguments.of(one, handle))
            .toArray());
  }
}
