package io.millrace.manager.workflow;

import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What has become possible for many steps at once, or is no longer possible. Immutable; carried out
 * piece by piece.
 *
 * @param id 0 before it is stored
 * @param target the template or relation, as its kind says; 0 for other kinds
 * @param combination of arguments, for the kinds that have one; 0 for others
 * @param progress how far it has been carried out
 */
record StepOpening(long id, OpeningKind kind, int target, int combination, int progress) {
  /** What happened, to which target, and which steps an opening therefore looks at. */
  enum OpeningKind {
    /** The run begins: listed steps that wait for nothing. */
    START("START"),
    /**
     * All that the target, a template, needs as a whole has succeeded: its steps that wait for
     * nothing else.
     */
    TEMPLATES_MET("GATE"),
    /**
     * All steps of the target, a template, have succeeded: listed steps that need it as a whole.
     */
    WHOLE_TEMPLATE("JOIN"),
    /**
     * All steps with some arguments have succeeded: steps with the same ones. The target is a
     * relation, with a combination.
     */
    ARGUMENT("ARGUMENT"),
    /**
     * The list of a template is empty: steps that need some of its steps by arguments. The target
     * is their relation.
     */
    EMPTY("EMPTY"),
    /** The run is resumed: failed, cancelled and withdrawn steps. */
    RETRY("RETRY"),
    /** Steps may start again: all that have what they need. */
    SCAN("SCAN"),
    /** Released steps without a job wait again, so that they run what the definition says now. */
    WITHDRAW("WITHDRAW"),
    /** The reverse of WHOLE_TEMPLATE: not all steps of the target have succeeded any more. */
    WHOLE_TEMPLATE_LOST("JOIN_LOST"),
    /** The reverse of ARGUMENT: not all steps with the combination have succeeded any more. */
    ARGUMENT_LOST("ARGUMENT_LOST"),
    /** The reverse of EMPTY: a template without steps has needs again. */
    EMPTY_LOST("EMPTY_LOST");

    private static final Map<String, OpeningKind> BY_WORD =
        Stream.of(values()).collect(Collectors.toMap(OpeningKind::stored, Function.identity()));

    private final String stored;

    OpeningKind(String stored) {
      this.stored = stored;
    }

    /** The word in the table, which servers of the adjacent version read and write too. */
    String stored() {
      return stored;
    }

    /**
     * The kind with that word in the table.
     *
     * @throws IllegalArgumentException for a word that this version does not know
     */
    static OpeningKind ofStored(String word) {
      OpeningKind kind = BY_WORD.get(word);
      if (kind == null) {
        throw new IllegalArgumentException("no kind of opening is stored as " + word);
      }
      return kind;
    }
  }

  static StepOpening of(OpeningKind kind, int target, int combination) {
    return new StepOpening(0, kind, target, combination, 0);
  }

  StepOpening at(int place) {
    return new StepOpening(id, kind, target, combination, place);
  }
}
