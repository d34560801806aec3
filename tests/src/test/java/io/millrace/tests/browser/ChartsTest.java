package io.millrace.tests.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Sizes;
import io.millrace.tests.cluster.Cluster;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the dashboard's charts draw, and how it writes figures. */
class ChartsTest {
  private static final String TEN_MINUTES = "{\"from\": 0, \"to\": 600000}";

  // A column of the overview in a window of 1280 pixels.
  private static final String DRAW =
      """
      document.querySelector("main").innerHTML = "<div class='chart'></div>";
      const spot = document.querySelector("main .chart");
      spot.style.setProperty("width", "368px");
      const chart = it.timeChart(spot, [{ name: "some" }], (value) => value + "/s");
      const drawn = new Promise((done) => echarts.getInstanceByDom(spot).on("finished", done));
      chart.show(JSON.parse(given[0]), null, JSON.parse(given[1]));
      await drawn;
      """;
  // Below the legend, whose signs have a colour, too.
  private static final String COLOURED =
      """
      const canvas = spot.querySelector("canvas");
      const {data} = canvas.getContext("2d").getImageData(0, 26, canvas.width, canvas.height - 26);
      let coloured = 0;
      for (let at = 0; at < data.length; at += 4) {
        const most = Math.max(data[at], data[at + 1], data[at + 2]);
        if (most - Math.min(data[at], data[at + 1], data[at + 2]) > 60) coloured++;
      }
      return coloured;
      """;

  // Texts that lie partly outside the canvas.
  private static final String CLIPPED =
      """
      const shown = echarts.getInstanceByDom(spot);
      return shown.getZr().storage.getDisplayList(true)
        .filter((one) => one.type === "tspan" && !one.ignore && !one.invisible)
        .filter((one) => {
          const box = one.getBoundingRect().clone();
          if (one.getComputedTransform()) box.applyTransform(one.getComputedTransform());
          return box.x < 0 || box.x + box.width > shown.getWidth();
        })
        .map((one) => one.style.text);
      """;

  @Order(1)
  @RegisterExtension
  static final Cluster CLUSTER = new Cluster(2, 2, 8);

  @Order(2)
  @RegisterExtension
  static final LoggedInBrowser BROWSER = new LoggedInBrowser(CLUSTER);

  private final Browser browser = BROWSER.get();

  @ParameterizedTest(name = "rows {0}")
  @ValueSource(
      strings = {
        "[[300000, 3]]",
        "[[100000, null], [300000, 3], [400000, null]]",
        "[[300000, 3], [300001], [400000, null]]"
      })
  void aSampleWithoutNeighboursIsDrawnAsAPoint(String rows) {
    Object coloured = browser.withModule("charts.js", DRAW + COLOURED, rows, TEN_MINUTES);
    assertThat((Long) coloured).as("coloured pixels of a point").isGreaterThan(20);
  }

  @Test
  void aTimeAtTheEndOfTheAxisIsNotClipped() {
    // A full five seconds lie a third of a second before the end.
    String span = "{\"from\": 1699999999800, \"to\": 1700000045300}";
    String rows = "[[1700000000000, 3], [1700000045000, 3]]";
    Object clipped = browser.withModule("charts.js", DRAW + CLIPPED, rows, span);
    assertThat(clipped).isEqualTo(List.of());
  }

  @Test
  void sizesAreWrittenAsTheCommandLineWritesThem() {
    List<Long> sizes =
        List.of(
            0L,
            1L,
            512L,
            1023L,
            1024L,
            1075L,
            1536L,
            10_240L,
            10_291L,
            1_048_575L,
            1L << 20,
            536_870_912L,
            11_381_663_335L,
            999L << 30,
            1L << 40,
            (5L << 50) + 1);
    Object written =
        browser.withModule("format.js", "return given[0].map((size) => it.bytes(size))", sizes);
    assertThat(written).isEqualTo(sizes.stream().map(Sizes::readable).toList());
  }
}
