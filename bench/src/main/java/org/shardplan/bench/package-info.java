/** Answers two questions with committed numbers: how fast (JMH) and how true (predicted against measured). Never shipped. */
@NullMarked
package org.shardplan.bench;

import org.jspecify.annotations.NullMarked;
