#include <weft/base/random.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/assert.hpp>

#include <random>

namespace weft {

namespace {

std::uint64_t unpredictable_seed()
{
    std::random_device device;
    const std::uint64_t high = device();
    return high << 32 | device();
}

class random_service final : public boost::asio::execution_context::service {
public:
    using key_type = random_service;
    static boost::asio::execution_context::id id;

    explicit random_service(boost::asio::execution_context& context)
        : random_service{context, unpredictable_seed()}
    {
    }
    random_service(boost::asio::execution_context& context, std::uint64_t seed)
        : service{context}, source_{seed}
    {
    }

    random_source& source() noexcept { return source_; }

private:
    void shutdown() override {}

    random_source source_;
};

boost::asio::execution_context::id random_service::id;

}  // namespace

// Lemire's multiplication: the high word is the result; the few low words that would favour some
// results are redrawn.
std::uint64_t random_source::below(std::uint64_t bound) noexcept
{
    BOOST_ASSERT(bound > 0);
    __extension__ using wide = unsigned __int128;
    wide product = static_cast<wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
        const std::uint64_t unfair = (0 - bound) % bound;
        while (static_cast<std::uint64_t>(product) < unfair)
            product = static_cast<wide>(next()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
}

random_source& random_of(boost::asio::execution_context& context)
{
    return boost::asio::use_service<random_service>(context).source();
}

void install_random(boost::asio::execution_context& context, std::uint64_t seed)
{
    BOOST_ASSERT_MSG(!boost::asio::has_service<random_service>(context),
                     "the random numbers of this context are in use");
    boost::asio::make_service<random_service>(context, seed);
}

}  // namespace weft
