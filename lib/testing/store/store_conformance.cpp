#include "store_trial.hpp"

#include <weft/async/sleep.hpp>

#include <ostream>

namespace weft::testing {

task<void> store_under_test::pass(std::chrono::milliseconds span) { co_await sleep_for(span); }

task<void> item_store_under_test::pass(std::chrono::milliseconds span) { co_await sleep_for(span); }

task<void> service_store_under_test::pass(std::chrono::milliseconds span) { co_await sleep_for(span); }

const std::vector<store_check>& store_checks()
{
    static const std::vector<store_check> all = [] {
        std::vector<store_check> found;
        for (const auto& part :
             {store_trial::worker_checks(), store_trial::run_checks(), store_trial::line_checks(),
              store_trial::queue_checks(), store_trial::signal_checks(),
              store_trial::ownership_checks(), store_trial::checkpoint_checks(),
              store_trial::history_checks(), store_trial::journal_checks(), store_trial::housekeeping_checks(),
              store_trial::text_checks(), store_trial::concurrency_checks(), store_trial::news_checks()})
            found.insert(found.end(), part.begin(), part.end());
        return found;
    }();
    return all;
}

const std::vector<service_store_check>& service_store_checks()
{
    static const std::vector<service_store_check> all = [] {
        std::vector<service_store_check> found;
        for (const auto& part :
             {store_trial::event_log_checks(), store_trial::document_checks(), store_trial::list_checks(),
              store_trial::copy_checks(), store_trial::outbox_checks(), store_trial::registry_checks(),
              store_trial::queue_rule_checks()})
            found.insert(found.end(), part.begin(), part.end());
        return found;
    }();
    return all;
}

std::ostream& operator<<(std::ostream& to, const store_check& check) { return to << check.name; }

std::ostream& operator<<(std::ostream& to, const item_store_check& check) { return to << check.name; }

std::ostream& operator<<(std::ostream& to, const service_store_check& check) { return to << check.name; }

}  // namespace weft::testing
