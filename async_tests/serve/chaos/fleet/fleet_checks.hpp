#pragma once

#include "store/postgres_server.hpp"

#include <weft/store/postgres_store.hpp>
#include <weft/store/record/thread_key.hpp>

#include <string>
#include <vector>

namespace fleet_chaos {

/** What is left when all runs are over: the chains of the store, the states, and what nodes have noted outside of it.
 *  @param wrong   Gets what is not as it should be, one a line.
 *  @return        Figures, for people. */
[[nodiscard]] std::string check_fleet(const weft_tests::postgres_server& server, weft::postgres_store& store,
                                      const std::vector<weft::thread_key>& threads, const std::string& ledger,
                                      std::vector<std::string>& wrong);

}  // namespace fleet_chaos
