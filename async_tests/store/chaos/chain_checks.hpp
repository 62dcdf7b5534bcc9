#pragma once

#include "store/postgres_server.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace weft_chaos {

/** All chains of a store at once: numbers without holes, each the child of the one before, epochs and steps that do not
 *  fall; so many runs, each of which has finished once; no effect left open.
 *  @param wrong   Gets what is not so, one a line. */
void check_chains(const weft_tests::postgres_server& server, const std::string& schema, std::size_t runs,
                  std::vector<std::string>& wrong);

/** Of these only what a writer without a fence can damage, at any moment: holes, epochs and steps that fall, and runs
 *  that end twice. */
void check_writers(const weft_tests::postgres_server& server, const std::string& schema,
                   std::vector<std::string>& wrong);

}  // namespace weft_chaos
