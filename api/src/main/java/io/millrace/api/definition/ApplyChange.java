package io.millrace.api.definition;

import java.util.List;

/**
 * What became of one definition.
 *
 * @param kind queue, …
 * @param name its name
 * @param action what was done
 * @param version its version afterwards
 * @param diff lines that go ({@code -}) and come ({@code +}) in the canonical form
 */
public record ApplyChange(
    String kind, String name, ApplyAction action, int version, List<String> diff) {}
