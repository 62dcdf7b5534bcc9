#pragma once

#include <weft/base/chrono.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/item_store.hpp>
#include <weft/store/service_store.hpp>

#include <cstddef>
#include <iosfwd>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace weft::testing {

/** What a check found: what was expected, what came, and on which line of the suite. */
class store_check_failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/** A store on trial. A fresh one for each check.
 *
 *      class my_trial final : public weft::testing::store_under_test {
 *          my_store store_;
 *      public:
 *          weft::checkpoint_store& store() override { return store_; }
 *      };
 *
 *      for (const weft::testing::store_check& check : weft::testing::store_checks()) {
 *          my_trial trial;
 *          weft::run_blocking(check.run(trial));
 *      }
 */
class store_under_test {
public:
    virtual ~store_under_test() = default;

    /** The store, open and without anything in it; the same one each time. */
    [[nodiscard]] virtual checkpoint_store& store() = 0;
    /** The same store as another process sees it, by a connection of its own; `store()` where only one is allowed. */
    [[nodiscard]] virtual checkpoint_store& other() { return store(); }
    /** Lets the store's time go on: by default on the clock of the loop, which is virtual in a simulation. */
    [[nodiscard]] virtual task<void> pass(std::chrono::milliseconds span);
    /** The lifetime of workers that the checks let run out: some hundred milliseconds for a store with a clock of its
     *  own, whose checks then take real time. */
    [[nodiscard]] virtual std::chrono::milliseconds lifetime() const { return std::chrono::seconds{10}; }
    /** By how many bytes the store may count more for a body or blob than it has: what encryption adds. */
    [[nodiscard]] virtual std::size_t overhead_max() const { return 0; }
};

/** A check that a store passes, or else it throws.
 *  @par Errors  `store_check_failure`; what the store throws when it should not. */
struct store_check {
    std::string_view name;
    task<void> (*run)(store_under_test&);
};

/** All promises of `checkpoint_store` as checks. See docs/STORES.md. */
[[nodiscard]] const std::vector<store_check>& store_checks();

std::ostream& operator<<(std::ostream& to, const store_check& check);

/** An item store on trial. A fresh one for each check. */
class item_store_under_test {
public:
    virtual ~item_store_under_test() = default;
    [[nodiscard]] virtual item_store& store() = 0;
    [[nodiscard]] virtual item_store& other() { return store(); }
    [[nodiscard]] virtual task<void> pass(std::chrono::milliseconds span);
    /** The lifetime of items that the checks let run out. */
    [[nodiscard]] virtual std::chrono::milliseconds lifetime() const { return std::chrono::seconds{10}; }
};

struct item_store_check {
    std::string_view name;
    task<void> (*run)(item_store_under_test&);
};

/** All promises of `item_store` as checks. */
[[nodiscard]] const std::vector<item_store_check>& item_store_checks();

/** All promises of `item_vectors` as checks, for stores whose `vectors` are not null. */
[[nodiscard]] const std::vector<item_store_check>& item_vectors_checks();

std::ostream& operator<<(std::ostream& to, const item_store_check& check);

/** The roles of a service on trial, with the store that they belong to. A fresh one for each check. */
class service_store_under_test {
public:
    virtual ~service_store_under_test() = default;
    [[nodiscard]] virtual checkpoint_store& store() = 0;
    [[nodiscard]] virtual service_store& service() = 0;
    /** The same as another process sees it. */
    [[nodiscard]] virtual service_store& other() { return service(); }
    [[nodiscard]] virtual task<void> pass(std::chrono::milliseconds span);
    /** The spans that the checks let run out. */
    [[nodiscard]] virtual std::chrono::milliseconds lifetime() const { return std::chrono::seconds{10}; }
};

struct service_store_check {
    std::string_view name;
    task<void> (*run)(service_store_under_test&);
};

/** All promises of `service_store` and its roles as checks. */
[[nodiscard]] const std::vector<service_store_check>& service_store_checks();

std::ostream& operator<<(std::ostream& to, const service_store_check& check);

}  // namespace weft::testing
