#include <boost/test/unit_test.hpp>

#include <weft/base/memory/shared_block.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

using weft::make_shared_as;

BOOST_AUTO_TEST_SUITE(shared_block_test)

namespace {

struct animal {
    virtual ~animal() = default;
    [[nodiscard]] virtual std::string sound() const = 0;
};

struct counted {
    explicit counted(int& ended) noexcept : ended_{&ended} {}
    counted(const counted&) = delete;
    virtual ~counted() { ++*ended_; }

private:
    int* ended_;
};

struct bird final : counted, animal {
    bird(int& ended, std::string song) : counted{ended}, song_{std::move(song)} {}
    [[nodiscard]] std::string sound() const override { return song_; }

private:
    std::string song_;
    std::array<std::max_align_t, 4> wide_{};
};

struct stillborn final : animal {
    stillborn() { throw std::runtime_error{"not today"}; }
    [[nodiscard]] std::string sound() const override { return {}; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_last_copy_ends_the_object)
{
    int ended = 0;
    std::shared_ptr<const animal> one = make_shared_as<const animal, bird>(ended, "a song longer than in place");
    std::weak_ptr<const animal> watched = one;
    std::shared_ptr<const animal> another = one;
    one.reset();
    BOOST_TEST(ended == 0);
    BOOST_TEST(another->sound() == "a song longer than in place");
    another.reset();
    BOOST_TEST(ended == 1);
    BOOST_TEST(watched.expired());
}

BOOST_AUTO_TEST_CASE(objects_are_aligned)
{
    int ended = 0;
    for (int i = 0; i < 5; ++i) {
        const std::shared_ptr<counted> made = make_shared_as<counted, bird>(ended, "tweet");
        const auto* whole = static_cast<const bird*>(made.get());
        BOOST_TEST(reinterpret_cast<std::uintptr_t>(whole) % alignof(bird) == 0u);
    }
    BOOST_TEST(ended == 5);
}

BOOST_AUTO_TEST_CASE(a_constructor_that_throws_leaves_nothing_behind)
{
    BOOST_CHECK_THROW((void)(make_shared_as<const animal, stillborn>()), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(more_than_there_is_cannot_be_asked_for)
{
    weft::base_detail::room_request too_much{SIZE_MAX};
    BOOST_CHECK_THROW((void)weft::base_detail::allocate_with_room(16, too_much), std::bad_alloc);
}

BOOST_AUTO_TEST_SUITE_END()
