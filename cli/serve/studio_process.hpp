#pragma once

#include "run/run_setup.hpp"
#include "store/store_place.hpp"

namespace weft_cli {

/** One graph on a server of its own, which only this machine reaches, with one run and the page that shows it: until
 *  SIGINT or SIGTERM. A second signal ends the program at once.
 *
 *  @param args    Of the run. Questions are answered on the page.
 *  @param place   Where the run is kept.
 *  @return        What the program ends with, by how the run stands then.
 *  @par Errors    `usage_error`; those of the store and of the server. */
[[nodiscard]] int run_in_studio(run_args args, const store_place& place);

}  // namespace weft_cli
