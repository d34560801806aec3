package io.millrace.manager.placement;

import dev.cel.checker.CelStandardDeclarations;
import dev.cel.checker.CelStandardDeclarations.StandardFunction;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import io.millrace.api.Pure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The variables and functions of expressions: the Common Expression Language without loops, times
 * and conversions to bytes, so that the cost of an expression is bounded by its length; patterns
 * take linear time. Immutable, thread-safe.
 */
@Pure
final class NodeLanguage {
  static final int LONGEST = 2000;

  private static final int DEEPEST = 50;
  private static final int MAX_NODES = 1000;
  private static final int LARGEST_PATTERN = 1000;
  private static final CelType TEXTS = MapType.create(SimpleType.STRING, SimpleType.STRING);

  /** The variables, in the order in which messages list them. */
  static final Map<String, CelType> VARIABLES = variables();

  /** The functions. */
  static final Set<String> FUNCTIONS =
      Set.of(
          "size",
          "startsWith",
          "endsWith",
          "contains",
          "matches",
          "int",
          "double",
          "string",
          "has",
          "atLeast");

  static final NodeLanguage INSTANCE = new NodeLanguage();

  private final CelCompiler compiler;
  private final CelRuntime runtime;

  private NodeLanguage() {
    CelOptions options =
        CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .maxExpressionCodePointSize(10 * LONGEST)
            .maxParseRecursionDepth(DEEPEST)
            .maxParseExpressionNodeCount(MAX_NODES)
            .maxRegexProgramSize(LARGEST_PATTERN)
            .comprehensionMaxIterations(0)
            .build();
    List<CelFunctionDecl> declarations = new ArrayList<>();
    List<CelFunctionBinding> bindings = new ArrayList<>();
    Arithmetic.declare(declarations, bindings);
    declarations.add(
        CelFunctionDecl.newFunctionDeclaration(
            "atLeast",
            CelOverloadDecl.newMemberOverload(
                "string_at_least", SimpleType.BOOL, SimpleType.STRING, SimpleType.STRING)));
    bindings.add(
        CelFunctionBinding.from("string_at_least", String.class, String.class, Versions::atLeast));
    CelCompilerBuilder builder =
        CelCompilerFactory.standardCelCompilerBuilder()
            .setOptions(options)
            .setStandardMacros(CelStandardMacro.HAS)
            .setStandardEnvironmentEnabled(false)
            .setStandardDeclarations(standard())
            .addFunctionDeclarations(declarations);
    VARIABLES.forEach(builder::addVar);
    this.compiler = builder.build();
    this.runtime =
        CelRuntimeFactory.plannerRuntimeBuilder()
            .setOptions(options)
            .addFunctionBindings(bindings)
            .build();
  }

  private static CelStandardDeclarations standard() {
    return CelStandardDeclarations.newBuilder()
        .includeFunctions(
            StandardFunction.CONDITIONAL,
            StandardFunction.LOGICAL_NOT,
            StandardFunction.LOGICAL_OR,
            StandardFunction.LOGICAL_AND,
            StandardFunction.EQUALS,
            StandardFunction.NOT_EQUALS,
            StandardFunction.LESS,
            StandardFunction.LESS_EQUALS,
            StandardFunction.GREATER,
            StandardFunction.GREATER_EQUALS,
            StandardFunction.ADD,
            StandardFunction.SUBTRACT,
            StandardFunction.MULTIPLY,
            StandardFunction.DIVIDE,
            StandardFunction.MODULO,
            StandardFunction.NEGATE,
            StandardFunction.INDEX,
            StandardFunction.IN,
            StandardFunction.SIZE,
            StandardFunction.INT,
            StandardFunction.DOUBLE,
            StandardFunction.STRING,
            StandardFunction.MATCHES,
            StandardFunction.CONTAINS,
            StandardFunction.STARTS_WITH,
            StandardFunction.ENDS_WITH)
        .build();
  }

  private static Map<String, CelType> variables() {
    Map<String, CelType> variables = new LinkedHashMap<>();
    variables.put("name", SimpleType.STRING);
    variables.put("os", SimpleType.STRING);
    variables.put("arch", SimpleType.STRING);
    variables.put("cpus", SimpleType.DOUBLE);
    variables.put("memory", SimpleType.INT);
    variables.put("slots", SimpleType.INT);
    variables.put("pool", ListType.create(SimpleType.STRING));
    variables.put("near", SimpleType.STRING);
    variables.put("label", TEXTS);
    variables.put("software", TEXTS);
    variables.put("resource", MapType.create(SimpleType.STRING, SimpleType.INT));
    return variables;
  }

  /**
   * Compiles an expression.
   *
   * @param field the field that contains it, for messages
   * @throws io.millrace.api.MillraceException INVALID_REQUEST that names the position and the fix
   */
  NodeExpression compile(String field, String text) {
    ExpressionErrors errors = new ExpressionErrors(field);
    if (text.length() > LONGEST) {
      throw errors.tooLong(text.length());
    }
    ExpressionText source = new ExpressionText(text);
    try {
      CelAbstractSyntaxTree parsed = compiler.parse(source.rewritten()).getAst();
      ExpressionNames.check(parsed, source, errors);
      CelAbstractSyntaxTree checked = compiler.check(parsed).getAst();
      return new NodeExpression(
          checked.getExpr(), checked.getResultType(), runtime.createProgram(checked));
    } catch (CelValidationException e) {
      throw errors.of(e, source);
    } catch (CelEvaluationException | IllegalArgumentException e) {
      throw errors.plain(e.getMessage(), e);
    } catch (StackOverflowError e) {
      throw errors.plain("too deeply nested; simplify it", e);
    }
  }

  /** Compares versions number by number: 17.0.2 is at least 9. */
  @Pure
  private static final class Versions {
    private static final Pattern BETWEEN = Pattern.compile("[^0-9]+");

    private Versions() {}

    /** Whether a version is the other one or later; parts without digits are ignored. */
    static boolean atLeast(String version, String min) {
      String[] has = BETWEEN.split(version);
      String[] needs = BETWEEN.split(min);
      for (int i = 0; i < Math.max(has.length, needs.length); i++) {
        int order = compare(number(has, i), number(needs, i));
        if (order != 0) {
          return order > 0;
        }
      }
      return true;
    }

    // Without leading zeros the longer number is the larger one, however long they are.
    private static int compare(String left, String right) {
      return left.length() == right.length()
          ? left.compareTo(right)
          : Integer.compare(left.length(), right.length());
    }

    private static String number(String[] parts, int at) {
      String digits = at < parts.length ? parts[at] : "";
      int from = 0;
      while (from < digits.length() && digits.charAt(from) == '0') {
        from++;
      }
      return digits.substring(from);
    }
  }

  /** Arithmetic between integers and fractions, which the language itself refuses. */
  @Pure
  private enum Arithmetic {
    ADD("_+_"),
    SUBTRACT("_-_"),
    MULTIPLY("_*_"),
    DIVIDE("_/_");

    private final String operator;

    Arithmetic(String operator) {
      this.operator = operator;
    }

    static void declare(List<CelFunctionDecl> declarations, List<CelFunctionBinding> bindings) {
      for (Arithmetic operation : values()) {
        declarations.add(operation.declaration());
        bindings.add(
            CelFunctionBinding.from(
                operation.fractionFirst(), Double.class, Long.class, operation::apply));
        bindings.add(
            CelFunctionBinding.from(
                operation.longFirst(), Long.class, Double.class, operation::apply));
      }
    }

    private CelFunctionDecl declaration() {
      return CelFunctionDecl.newFunctionDeclaration(
          operator,
          CelOverloadDecl.newGlobalOverload(
              fractionFirst(), SimpleType.DOUBLE, SimpleType.DOUBLE, SimpleType.INT),
          CelOverloadDecl.newGlobalOverload(
              longFirst(), SimpleType.DOUBLE, SimpleType.INT, SimpleType.DOUBLE));
    }

    private String fractionFirst() {
      return "fraction_" + name() + "_whole";
    }

    private String longFirst() {
      return "whole_" + name() + "_fraction";
    }

    private double apply(Number first, Number second) {
      double left = first.doubleValue();
      double right = second.doubleValue();
      return switch (this) {
        case ADD -> left + right;
        case SUBTRACT -> left - right;
        case MULTIPLY -> left * right;
        case DIVIDE -> left / right;
      };
    }
  }
}
