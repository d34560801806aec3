package io.millrace.platform.document;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;

/** The keys of a record and how it is made. Immutable. */
record RecordType(
    Class<? extends Record> raw,
    Constructor<? extends Record> constructor,
    List<RecordComponent> components,
    List<String> names,
    List<JavaType> types) {
  static RecordType of(JsonMapper mapper, JavaType type) {
    Class<? extends Record> raw = type.getRawClass().asSubclass(Record.class);
    RecordComponent[] components = raw.getRecordComponents();
    String[] names = new String[components.length];
    JavaType[] types = new JavaType[components.length];
    for (BeanPropertyDefinition property :
        mapper.getDeserializationConfig().introspect(type).findProperties()) {
      if (property.hasConstructorParameter()) {
        int index = property.getConstructorParameter().getIndex();
        names[index] = property.getName();
        types[index] = property.getPrimaryType();
      }
    }
    return new RecordType(
        raw, constructor(raw, components), List.of(components), List.of(names), List.of(types));
  }

  private static Constructor<? extends Record> constructor(
      Class<? extends Record> raw, RecordComponent[] components) {
    try {
      Constructor<? extends Record> constructor =
          raw.getDeclaredConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
      constructor.setAccessible(true);
      return constructor;
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("a record has its canonical constructor: " + raw, e);
    }
  }

  int size() {
    return names.size();
  }

  /** The place of a key; null if it is unknown. */
  Integer index(String name) {
    int index = names.indexOf(name);
    return index < 0 ? null : index;
  }

  JavaType type(int index) {
    return types.get(index);
  }

  /** Whether the keys of a component stand among those of the record. */
  boolean unwrapped(int index) {
    return components.get(index).getAccessor().isAnnotationPresent(JsonUnwrapped.class);
  }

  /** What an absent component is without a default. */
  Object nothing(int index) {
    Class<?> type = components.get(index).getType();
    if (!type.isPrimitive()) {
      return null;
    }
    if (type == boolean.class) {
      return false;
    }
    return type == int.class ? (Object) 0 : type == long.class ? (Object) 0L : (Object) 0.0;
  }

  /** The base, or what the record's own {@code defaults()} gives; null if it declares none. */
  Record defaults(Record base) {
    if (base != null) {
      return base;
    }
    try {
      Method method = raw.getDeclaredMethod("defaults");
      if (!Modifier.isStatic(method.getModifiers())) {
        return null;
      }
      method.setAccessible(true);
      return (Record) method.invoke(null);
    } catch (NoSuchMethodException none) {
      return null;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(raw + ".defaults() failed", e);
    }
  }

  /** The value of a component; null of null. */
  Object component(int index, Record owner) {
    return owner == null ? null : DocumentBinder.value(components.get(index), owner);
  }

  Object construct(Object[] values) throws InvocationTargetException {
    try {
      return constructor.newInstance(values);
    } catch (InvocationTargetException refused) {
      throw refused;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot construct " + raw, e);
    }
  }
}
