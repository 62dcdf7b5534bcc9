#pragma once

#include <boost/test/unit_test.hpp>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace async_tests {

/** Who is alive, by address. At its end it checks that everybody was made and destroyed exactly once, where they
 *  stood: an object that was copied byte by byte is destroyed at an address where none was made. */
class lifetimes {
public:
    lifetimes() = default;
    lifetimes(const lifetimes&) = delete;
    lifetimes& operator=(const lifetimes&) = delete;
    ~lifetimes()
    {
        BOOST_TEST(alive_.empty());
        BOOST_TEST(wrong_ == 0);
    }

    void made(const void* object) { wrong_ += alive_.insert(object).second ? 0 : 1; }
    void gone(const void* object, const std::string& name)
    {
        wrong_ += alive_.erase(object) == 1 ? 0 : 1;
        order_ += name;
    }

    [[nodiscard]] std::size_t alive() const noexcept { return alive_.size(); }
    /** The names of those that are gone, in the order in which they went; those moved from have none. */
    [[nodiscard]] const std::string& order() const noexcept { return order_; }

private:
    std::set<const void*> alive_;
    std::string order_;
    int wrong_ = 0;
};

/** Something with an address and memory of its own. */
class resident {
public:
    resident(lifetimes& where, std::string name) : where_{&where}, name_{std::make_unique<std::string>(std::move(name))}
    {
        where_->made(this);
    }
    resident(const resident& other) : resident{*other.where_, other.name()} {}
    resident(resident&& other) : where_{other.where_}, name_{std::move(other.name_)} { where_->made(this); }
    resident& operator=(const resident&) = delete;
    ~resident() { where_->gone(this, name()); }

    [[nodiscard]] std::string name() const { return name_ ? *name_ : std::string{}; }

private:
    lifetimes* where_;
    std::unique_ptr<std::string> name_;
};

}  // namespace async_tests
