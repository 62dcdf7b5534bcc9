#pragma once

#include <weft/async/wait/shared_rates.hpp>
#include <weft/base/clock.hpp>

#include <map>
#include <mutex>
#include <string>

namespace weft {

/** Rates that those of one process share, by the clock of the loop that claims. */
class local_rates final : public shared_rates {
public:
    [[nodiscard]] task<rate_standing> claim(rate_claim what) override;

private:
    struct rate {
        time_point calls_full{};
        time_point tokens_full{};
        time_point paused_until{};
        std::map<std::string, time_point> holders;  // when each has claimed last
    };

    std::mutex lock_;
    std::map<std::string, rate> rates_;
};

}  // namespace weft
