/**
 * Keeps the weight rows: carries out what nodes decide, places first points, heals after losses,
 * and records every decision with its reason. All changes go through {@link
 * io.millrace.manager.weighting.WeightRows}.
 */
package io.millrace.manager.weighting;
