#pragma once

namespace weft_bench {

/** Runs of three nodes that come, are claimed and end, at an even pace for a time. */
struct churn_load {
    double minutes = 30;
    double runs_a_second = 100;
};

/** Claims of a worker under churn, on a PostgreSQL of its own with fsync and the defaults of autovacuum. Prints a line
 *  for each minute, or for each tenth of a shorter time: how many claims took runs, and how long those took.
 *  @throws std::runtime_error  Runs are left at the end. */
void measure_churn(const churn_load& load);

}  // namespace weft_bench
