#include <weft/base/clock.hpp>

#include <boost/asio/execution_context.hpp>
#include <boost/assert.hpp>

namespace weft {

namespace {

class machine_clock final : public clock {
public:
    time_point now() const noexcept override { return std::chrono::steady_clock::now(); }
    system_time_point system_now() const noexcept override
    {
        return std::chrono::system_clock::now();
    }
};

class clock_service final : public boost::asio::execution_context::service {
public:
    using key_type = clock_service;
    static boost::asio::execution_context::id id;

    explicit clock_service(boost::asio::execution_context& context)
        : clock_service{context, real_clock()}
    {
    }
    clock_service(boost::asio::execution_context& context, clock& source)
        : service{context}, source_{source}
    {
    }

    clock& source() const noexcept { return source_; }

private:
    void shutdown() override {}

    clock& source_;
};

boost::asio::execution_context::id clock_service::id;

}  // namespace

clock& real_clock() noexcept
{
    // One object: loops compare its address to know whether time is real.
    static machine_clock instance;
    return instance;
}

clock& clock_of(boost::asio::execution_context& context)
{
    return boost::asio::use_service<clock_service>(context).source();
}

void install_clock(boost::asio::execution_context& context, clock& source)
{
    // Deadlines of two clocks in one loop would not compare.
    BOOST_ASSERT_MSG(!boost::asio::has_service<clock_service>(context),
                     "the clock of this context is already in use");
    boost::asio::make_service<clock_service>(context, source);
}

}  // namespace weft
