#include "connection.hpp"

#include <openssl/crypto.h>

#include <utility>

namespace weft::net_detail {

connection::connection(serial_loop& loop, std::shared_ptr<transport> wire, std::string endpoint,
                       std::shared_ptr<pool_counters> counters)
    : wire_{std::move(wire)}, endpoint_{std::move(endpoint)}, counters_{std::move(counters)},
      deadline_{loop, [](void* self) { static_cast<connection*>(self)->wire_->close(); }, this}
{
    ++counters_->opened;
    ++counters_->open;
    if (wire_->is_resumed()) ++counters_->resumed;
}

connection::~connection()
{
    close();
    wipe_outgoing_head();
}

wire_operation connection::read_some() { return wire_->read_some(received_.prepare(), shared_from_this()); }

wire_operation connection::write_some(std::string_view bytes)
{
    return wire_->write_some(boost::asio::const_buffer{bytes.data(), bytes.size()}, shared_from_this());
}

void connection::wipe_outgoing_head() noexcept
{
    OPENSSL_cleanse(outgoing_head_.data(), outgoing_head_.size());
    outgoing_head_.clear();
}

void connection::close() noexcept
{
    if (!is_open_) return;
    is_open_ = false;
    deadline_.rest();
    wire_->close();
    --counters_->open;
}

}  // namespace weft::net_detail
