package io.millrace.platform.schema;

import com.networknt.schema.annotation.Annotation;
import com.networknt.schema.annotation.Annotations;
import com.networknt.schema.path.NodePath;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What keywords have noted about places of the data, of which reading costs steps: the library
 * reads all notes of a place for each unevaluatedProperties or unevaluatedItems, and after each
 * schema that does not match. One thread.
 */
final class CountedAnnotations extends Annotations {
  private final Map<NodePath, List<Annotation>> places;

  CountedAnnotations(CheckBound bound) {
    this.places = new CountedPlaces(bound);
  }

  @Override
  public Map<NodePath, List<Annotation>> asMap() {
    return places;
  }

  @Override
  public void put(Annotation annotation) {
    places
        .computeIfAbsent(annotation.getInstanceLocation(), place -> new ArrayList<>())
        .add(annotation);
  }

  private static final class CountedPlaces extends LinkedHashMap<NodePath, List<Annotation>> {
    private static final long serialVersionUID = 1L;

    // A read compares the path of each note, several times.
    private static final int COMPARISONS = 4;

    private final transient CheckBound bound;

    CountedPlaces(CheckBound bound) {
      this.bound = bound;
    }

    @Override
    public List<Annotation> get(Object place) {
      return counted(super.get(place));
    }

    @Override
    public List<Annotation> getOrDefault(Object place, List<Annotation> otherwise) {
      return counted(super.getOrDefault(place, otherwise));
    }

    private List<Annotation> counted(List<Annotation> notes) {
      if (notes != null) {
        for (Annotation note : notes) {
          Object value = note.getValue();
          bound.spend(COMPARISONS + bound.depth() / COMPARISONS);
          bound.spend(value instanceof Collection<?> names ? names.size() : 0);
        }
      }
      return notes;
    }
  }
}
