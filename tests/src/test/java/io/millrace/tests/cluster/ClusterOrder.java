package io.millrace.tests.cluster;

import java.lang.reflect.Field;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;

/**
 * Runs classes without a cluster first, then those with one, grouped by shape: a cluster ends when
 * one with another shape is requested, because idle clusters use processor time.
 */
public final class ClusterOrder implements ClassOrderer {
  private static final Comparator<ClassDescriptor> ORDER =
      Comparator.<ClassDescriptor, String>comparing(one -> shape(one.getTestClass()))
          .thenComparing(ClassDescriptor::getDisplayName);

  @Override
  public void orderClasses(ClassOrdererContext context) {
    context.getClassDescriptors().sort(ORDER);
  }

  private static String shape(Class<?> test) {
    return Stream.of(test.getDeclaredFields())
        .filter(field -> field.getType() == Cluster.class)
        .findFirst()
        .map(ClusterOrder::shapeIn)
        .orElse("");
  }

  private static String shapeIn(Field field) {
    try {
      field.setAccessible(true);
      return ((Cluster) field.get(null)).shape();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(field + " is not a static field with a cluster", e);
    }
  }
}
