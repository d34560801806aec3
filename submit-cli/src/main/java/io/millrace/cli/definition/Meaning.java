package io.millrace.cli.definition;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What a definition means, in words.
 *
 * @param kind queue or task
 * @param name its name
 * @param place where it was read
 * @param words by what they are about, in order
 * @param next its next planned times; empty for none
 */
record Meaning(
    String kind, String name, String place, Map<String, String> words, List<Instant> next) {}
