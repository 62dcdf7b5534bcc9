#include "store_sweeper.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/random.hpp>
#include <weft/store/service/api_key_table.hpp>
#include <weft/store/service/audit_log.hpp>
#include <weft/store/service/request_key_table.hpp>

#include <algorithm>
#include <chrono>
#include <string>

namespace weft::serve_detail {

namespace {

constexpr std::size_t swept_at_once = 500;  // one transaction each
constexpr std::chrono::seconds sweep_every{60};

}  // namespace

task<void> store_sweeper::work()
{
    const serial_loop& loop = co_await this_task::loop();
    for (;;) {
        // Servers that began together do not sweep together.
        const double share = 0.75 + 0.5 * loop.random().uniform();
        co_await sleep_for(std::chrono::duration_cast<std::chrono::nanoseconds>(sweep_every * share));
        std::string problem;
        try {
            std::size_t swept = 1;
            while (swept > 0) swept = co_await sweep(*this);
        } catch (const error& e) {
            if (e.code() == errc::cancelled) throw;
            problem = e.what();
        }
        if (!problem.empty()) problem_(problem);
    }
}

/** @return  How many of one kind there may be more of; 0: none is left. */
task<std::size_t> store_sweeper::sweep(store_sweeper& self)
{
    request_key_table keys{self.documents_};
    audit_log audit{self.documents_};
    api_key_table api_keys{self.documents_};
    std::size_t most = co_await keys.sweep(swept_at_once);
    most = std::max(most, co_await audit.sweep(swept_at_once));
    most = std::max(most, co_await api_keys.sweep(swept_at_once));
    most = std::max(most, co_await self.threads_.sweep(swept_at_once));
    if (self.items_) most = std::max(most, co_await self.items_->sweep(swept_at_once));
    co_return most < swept_at_once ? 0 : most;
}

}  // namespace weft::serve_detail
