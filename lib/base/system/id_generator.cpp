#include <weft/base/system/id_generator.hpp>

#include <weft/base/clock.hpp>
#include <weft/base/error.hpp>
#include <weft/base/random.hpp>
#include <weft/base/system/ids.hpp>

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace weft {

namespace {

class uuid_generator final : public id_generator {
public:
    uuid_generator(const clock& time, random_source& random) noexcept : source_{time, random} {}
    std::string next() override { return source_.next().text(); }

private:
    id_source source_;
};

/** The time in a unit, or one more than the id before if that is greater. */
template <class Unit>
class time_generator final : public id_generator {
public:
    explicit time_generator(const clock& time) noexcept : time_{time} {}
    std::string next() override
    {
        const auto since_1970 = time_.system_now().time_since_epoch();
        const auto now = static_cast<std::int64_t>(std::chrono::duration_cast<Unit>(since_1970).count());
        std::int64_t last = last_.load(std::memory_order_relaxed);
        std::int64_t id = std::max(last + 1, now);
        while (!last_.compare_exchange_weak(last, id, std::memory_order_relaxed)) id = std::max(last + 1, now);
        return std::to_string(id);
    }

private:
    const clock& time_;
    std::atomic<std::int64_t> last_{0};
};

/** A counter of 31 bits that begins somewhere, scrambled: each step of `scramble` can be undone. */
class integer_generator final : public id_generator {
public:
    explicit integer_generator(random_source& random) noexcept : counter_{static_cast<std::uint32_t>(random.next())} {}
    std::string next() override
    {
        return std::to_string(scramble(counter_.fetch_add(1, std::memory_order_relaxed) & mask));
    }

private:
    static constexpr std::uint32_t mask = 0x7fff'ffff;
    static constexpr std::uint32_t scramble(std::uint32_t x) noexcept
    {
        x = (x ^ x >> 16) * 0x7feb'352du & mask;
        x = (x ^ x >> 15) * 0x046c'a68bu & mask;
        return x ^ x >> 16;
    }
    std::atomic<std::uint32_t> counter_;
};

/** So many characters, each drawn from an alphabet. */
class random_generator final : public id_generator {
public:
    random_generator(random_source& random, std::string_view alphabet, std::size_t length) noexcept
        : random_{random}, alphabet_{alphabet}, length_{length}
    {
    }
    std::string next() override
    {
        std::string id(length_, '0');
        for (char& c : id) c = alphabet_[random_.below(alphabet_.size())];
        return id;
    }

private:
    random_source& random_;
    std::string_view alphabet_;
    std::size_t length_;
};

class no_generator final : public id_generator {
public:
    std::string next() override { return {}; }
};

constexpr std::string_view alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

}  // namespace

std::shared_ptr<id_generator> make_id_generator(id_form form, const clock& time, random_source& random)
{
    switch (form) {
    case id_form::uuid: return std::make_shared<uuid_generator>(time, random);
    case id_form::nanoseconds: return std::make_shared<time_generator<std::chrono::nanoseconds>>(time);
    case id_form::timestamp: return std::make_shared<time_generator<std::chrono::microseconds>>(time);
    case id_form::integer: return std::make_shared<integer_generator>(random);
    case id_form::hex: return std::make_shared<random_generator>(random, "0123456789abcdef", 32);
    case id_form::short_text: return std::make_shared<random_generator>(random, alphanumeric, 8);
    case id_form::none: break;
    }
    return std::make_shared<no_generator>();
}

id_form id_form_of(std::string_view name)
{
    id_form form{};
    bool is_found = false;
    std::string known;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<id_form>>([&](auto one) {
        known.append(known.empty() ? "" : ", ").append(one.name);
        if (name != one.name) return;
        form = one.value;
        is_found = true;
    });
    if (is_found) return form;
    throw error{errc::invalid_configuration, "id generator",
                "there is no form '" + std::string{name} + "'; there are: " + known};
}

}  // namespace weft
