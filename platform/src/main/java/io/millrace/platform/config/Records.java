package io.millrace.platform.config;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;

/** The reflective part of configuration: reading, making and defaulting records. */
final class Records {

  private Records() {}

  static Object value(RecordComponent component, Record owner) {
    try {
      Method accessor = component.getAccessor();
      accessor.setAccessible(true);
      return accessor.invoke(owner);
    } catch (ReflectiveOperationException failure) {
      throw new IllegalStateException("unreadable configuration record " + owner, failure);
    }
  }

  /** What the record's own {@code defaults()} gives, or null when it declares none. */
  static Record defaults(Class<? extends Record> type) {
    try {
      Method method = type.getDeclaredMethod("defaults");
      if (!Modifier.isStatic(method.getModifiers())) {
        return null;
      }
      method.setAccessible(true);
      return (Record) method.invoke(null);
    } catch (NoSuchMethodException none) {
      return null;
    } catch (ReflectiveOperationException failure) {
      throw new IllegalStateException(type + ".defaults() failed", failure);
    }
  }

  static <R extends Record> R construct(Class<R> type, Object[] values)
      throws InvocationTargetException {
    Class<?>[] parameters =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      var constructor = type.getDeclaredConstructor(parameters);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (InvocationTargetException refused) {
      throw refused;
    } catch (ReflectiveOperationException failure) {
      throw new IllegalStateException("cannot construct " + type, failure);
    }
  }
}
