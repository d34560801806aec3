package io.millrace.tests.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules about the sources: sizes, names of types and packages, page assets. */
class HouseRulesTest {
  private static final Path ROOT = SourceTree.root();

  @Test
  void noSourceFileHasMoreThanSixHundredLinesAndNineInTenHaveFewerThanThreeHundred() {
    List<Path> sources = sources("main");
    List<Integer> sizes = sources.stream().map(HouseRulesTest::lines).sorted().toList();
    assertThat(sources).filteredOn(file -> lines(file) > 600).isEmpty();
    assertThat(sizes.get(sizes.size() * 9 / 10))
        .as("lines of the file at the 90th percentile")
        .isLessThan(300);
  }

  /**
   * Metaphors that must not be used for a service, a formatter, a module and other plain concepts.
   */
  @Test
  void typeNamesUseNoMetaphors() {
    Pattern metaphor =
        Pattern.compile(
            ".*(Desk|Words|Side|Lives|Care|Sheet|Whispers|Burial|Doorkeeper|Standing|Contender"
                + "|Sequel|SequelRule|Crew|Lookout|Util|Utils|Helper|Impl|Dto)");
    assertThat(types(true)).noneMatch(name -> metaphor.matcher(name).matches());
    assertThat(types(false)).noneMatch(name -> metaphor.matcher(name).matches());
  }

  @Test
  void theNameOfAFileIsUsedForNoOtherType() {
    List<String> files = types(true);
    assertThat(files).doesNotHaveDuplicates();
    assertThat(types(false)).doesNotContainAnyElementsOf(files);
  }

  /** Names of the types that have a file, or of those nested in them. */
  private static List<String> types(boolean files) {
    Pattern declaration =
        Pattern.compile(
            "^( *)(?:(?:public|private|protected|static|final|sealed|non-sealed|abstract) )*"
                + "(?:class|record|interface|@interface|enum) (\\w+)",
            Pattern.MULTILINE);
    return sources("main").stream()
        .flatMap(file -> declaration.matcher(read(file)).results())
        .filter(found -> found.group(1).isEmpty() == files)
        .map(found -> found.group(2))
        .toList();
  }

  /** Literal translations that made operators stumble, in texts that they can read. */
  @Test
  void messagesAndPagesArePlainTechnicalEnglish() {
    Pattern stumbling =
        Pattern.compile(
            "\\b(time over|since ever|another life|put off|mend(s|ed|ing)?|strikes? .{1,40} off"
                + "|(?<!there )is no (?!longer|such)\\w+ (of|for|that)|is told|tells (more|why|what)|so (many|long)"
                + "|goes on|works off|of (its|their|his) own|for people|for good|nobody|by hand|stands still"
                + "|comes to be|given back|again and again|lets it go|no more until|run that lasts)\\b");
    Pattern literal =
        Pattern.compile("\"\"\"(.*?)\"\"\"|\"((?:[^\"\\\\\\n]|\\\\.)*)\"", Pattern.DOTALL);
    Set<String> found = new TreeSet<>();
    List<Path> texts = new ArrayList<>(sources("main"));
    texts.addAll(files(ROOT.resolve("manager/src/main/resources/dashboard"), ".js"));
    for (Path source : texts) {
      Matcher text = literal.matcher(read(source));
      while (text.find()) {
        Matcher phrase = stumbling.matcher(text.group());
        if (phrase.find()) {
          found.add(ROOT.relativize(source) + ": " + phrase.group());
        }
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void packagesAreNamedAfterTheDomainAndHaveADescription() {
    Set<Path> silent = new TreeSet<>();
    Pattern vague = Pattern.compile(".*/(util|utils|common|impl|dto|helpers?|misc)(/.*|$)");
    for (Path source : sources("main")) {
      assertThat(source.toString()).doesNotMatch(vague);
      if (!Files.exists(source.resolveSibling("package-info.java"))) {
        silent.add(ROOT.relativize(source.getParent()));
      }
    }
    assertThat(silent).as("packages without package-info.java").isEmpty();
  }

  @Test
  void theReadmeOfAModuleListsItsPackages() {
    Pattern firstCell = Pattern.compile("^\\| (.*?) \\|", Pattern.MULTILINE);
    Set<String> missing = new TreeSet<>();
    for (Path module : modules()) {
      String listed =
          firstCell
              .matcher(read(module.resolve("README.md")))
              .results()
              .map(row -> row.group(1))
              .collect(Collectors.joining(" "));
      for (String name : packages(module)) {
        if (!listed.contains("`" + name + "`")) {
          missing.add(ROOT.relativize(module) + ": " + name);
        }
      }
    }
    assertThat(missing).as("packages that the README of their module does not list").isEmpty();
  }

  private static Set<Path> modules() {
    return sources("main").stream()
        .map(source -> ROOT.resolve(ROOT.relativize(source).getName(0)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Names below the package of the module, such as {@code store.log}. */
  private static List<String> packages(Path module) {
    Path root = module.resolve("src/main/java");
    return files(root, ".java").stream()
        .map(source -> root.relativize(source.getParent()))
        .distinct()
        // That of the module is io.millrace.NAME.
        .filter(folder -> folder.getNameCount() > 3)
        .map(folder -> folder.subpath(3, folder.getNameCount()).toString().replace('/', '.'))
        .toList();
  }

  @Test
  void pagesLoadNoExternalResourcesAndHaveNoInlineCode() {
    Path assets = ROOT.resolve("manager/src/main/resources/dashboard");
    for (Path page : files(assets, ".html")) {
      String text = read(page);
      assertThat(text).as(page.toString()).doesNotContainPattern("(src|href)=\"(https?:)?//");
      assertThat(text).as(page.toString()).doesNotContainPattern("<[^>]+ (on[a-z]+|style)=");
      assertThat(text).as(page.toString()).doesNotContainPattern("<script(?![^>]* src=)[^>]*>");
    }
    for (Path script : files(assets, ".js")) {
      assertThat(read(script))
          .as(script.toString())
          .doesNotContainPattern("https?://(?!www\\.w3\\.org/)");
      assertThat(read(script)).as(script.toString()).doesNotContain("innerHTML");
    }
  }

  private static List<Path> sources(String kind) {
    return files(ROOT, ".java").stream()
        .filter(file -> file.toString().contains("/src/" + kind + "/java/"))
        .toList();
  }

  private static List<Path> files(Path folder, String ending) {
    try (Stream<Path> walk = Files.walk(folder)) {
      return walk.filter(file -> file.toString().endsWith(ending))
          .filter(file -> !file.toString().contains("/target/"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int lines(Path file) {
    return (int) read(file).lines().count();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
